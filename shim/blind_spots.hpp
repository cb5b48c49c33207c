// Finds loaded modules that may reach the GPU without the recorder, so that the log can say so.
//
// It reads what the loader already has in memory, and the section headers and constants of the few
// files that it then suspects; never GPU code. For the writer thread: it opens files.
#pragma once

namespace mfushim::shim {

// Puts a Module record of role "unhooked" into the log for each such module that is new. When
// nothing was loaded since the last time it does nothing, but `at_end` it looks once more: by then
// every reference that was ever used is bound.
void find_blind_spots(bool at_end) noexcept;

// After a fork: the child's log is told all anew.
void forget_blind_spots() noexcept;

}  // namespace mfushim::shim
