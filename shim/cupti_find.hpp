// Finds the CUPTI library that fits this process.
#pragma once

namespace mfushim::shim::cupti {

// A handle, or null. One that is loaded already comes first, since the program uses it; then the
// one beside the CUDA runtime; then by name, newest first that the driver can serve.
void* open_library() noexcept;

}  // namespace mfushim::shim::cupti
