// Kineto traces (PyTorch's profiler, Chrome trace JSON, plain or gzip) -> log.
#pragma once

#include <cstdint>
#include <string>

#include "read/json_stream.hpp"
#include "read/log_writer.hpp"

namespace mfushim::read {

struct ImportedTrace {
  std::uint64_t text_bytes = 0;  // of JSON, inflated
  std::uint64_t rows = 0;
  std::uint64_t launches = 0;  // of kernels and graphs, copies and sets: calls that ask for work
  std::uint64_t gpu_records = 0;
};

// Reads the whole trace and adds its records to `writer`, which the caller closes. Memory is
// bounded: about 130 MB, plus the definitions. Throws FormatError when the text is not a trace.
ImportedTrace import_kineto(ByteSupply text, LogWriter& writer);

}  // namespace mfushim::read
