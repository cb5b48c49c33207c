// What windows of device times cost the job: how many launches fewer it makes in them.
#pragma once

#include <cstddef>
#include <optional>

#include "passes/windows.hpp"

namespace mfushim::passes {

// Shares of launches that windows lose against the pause before each of them.
struct WindowCost {
  std::size_t windows = 0;  // that have such a pause
  double median = 0;
  // The median lies between them with a confidence of 90 %; absent below 5 windows.
  std::optional<double> low, high;
};

// Absent without such a window.
std::optional<WindowCost> find_window_cost(const WindowResult& windows);

}  // namespace mfushim::passes
