// What frames keep beside their thread.
#include "frame.hpp"

namespace mfushim::shim {

MFUSHIM_THREAD_LOCAL Frames t_frames{};

}  // namespace mfushim::shim
