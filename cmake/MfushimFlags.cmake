# Warnings, sanitizers and where the two products land: mfushim_product(TARGET) and mfushim_warnings(TARGET).

function(mfushim_warnings target)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow -Wconversion
                                                                     -Wno-sign-conversion -Werror=return-type>)
endfunction()

function(mfushim_product target)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
                                             LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
endfunction()

if(MFUSHIM_SANITIZE)
  add_compile_options(-fsanitize=${MFUSHIM_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${MFUSHIM_SANITIZE})
endif()
