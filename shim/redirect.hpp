// Hands out our entries where the program looks functions up by name: dlsym and cuGetProcAddress.
#pragma once

#include <cstdint>
#include <string_view>

#include "entry.hpp"

namespace mfushim::shim {

// The entry's address for a genuine pointer to `api` that `caller` asked for: the same one for the
// same pointer, door and calling module. The genuine pointer itself when the thunk is not there or
// the pool is used up (counted).
void* entry_for(format::Api api, void* genuine, Door door, const void* caller) noexcept;

// What to answer instead of `genuine`, the driver's own answer to cuGetProcAddress. Unknown names,
// and versions newer than the headers of this build unless the pointer tells what they are, are
// answered with `genuine`, and counted when a row has the name. `provider`: of that driver.
void* redirect(std::string_view name, int version, std::uint64_t flags, void* genuine,
               const void* caller, Provider* provider) noexcept;

// Starts the recorder, and tells it what was looked up before and is not hooked.
void start_recording() noexcept;

}  // namespace mfushim::shim
