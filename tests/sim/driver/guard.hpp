// Names libraries of the vendor's own that a process loaded beside the doubles.
#pragma once

namespace mfusim {

// One line of the truth file for each that is mapped now.
void report_vendor_libraries();

}  // namespace mfusim
