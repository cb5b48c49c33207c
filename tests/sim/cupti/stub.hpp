// For the generated stubs.
#pragma once
#include "state.hpp"

using mfusim::cupti::stub_hit;
