// What the program looked up and got without a hook, told in the log: names that no row has though
// they may do device work, versions newer than the rows, and what came when the entry pool was used
// up.
#pragma once

#include <string_view>

namespace mfushim::shim {

// Whether a function of this name may launch, copy, multiply or communicate.
bool may_do_work(std::string_view name) noexcept;

// `version` as cuGetProcAddress was asked for; 0: asked by name alone. Told once each.
void count_unhooked(std::string_view name, int version) noexcept;

// For a log that begins: look-ups mostly come before it.
void tell_unhooked() noexcept;

}  // namespace mfushim::shim
