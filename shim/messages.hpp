// The few lines that the recorder may print: on stderr, whole, with its name in front.
#pragma once

namespace mfushim::shim {

[[gnu::format(printf, 1, 2)]] void say(const char* format, ...) noexcept;

}  // namespace mfushim::shim
