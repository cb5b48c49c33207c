// Calls the real function, and gives a result also where the function has none.
#pragma once

#include <type_traits>

namespace mfushim::shim {

// What the recorder keeps of a call; nothing returned (cuBLAS's oldest functions) is success.
template <class R>
using Result = std::conditional_t<std::is_void_v<R>, int, R>;

template <class R, class... Args>
[[gnu::always_inline]] inline Result<R> call_real(R (*real)(Args...), Args... args) {
  if constexpr (std::is_void_v<R>) {
    real(args...);
    return 0;
  } else {
    return real(args...);
  }
}

}  // namespace mfushim::shim
