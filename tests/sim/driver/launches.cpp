// Kernel launches.
#include "launches.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "api_call.hpp"
#include "driver_impl.hpp"
#include "report.hpp"
#include "streams.hpp"

namespace mfusim {
namespace {

constexpr uint64_t kMaxThreadsPerBlock = 1024;

// The piece of work that the thread is in the middle of.
struct Piece {
  uint64_t number = 0;
  uint32_t kernels = 0;
  int depth = 0;
};
thread_local Piece t_piece;
std::atomic<uint64_t> g_next_piece{1};

std::shared_ptr<const Arguments> copy_arguments(const std::vector<uint32_t>& sizes, void** given) {
  auto copy = std::make_shared<Arguments>();
  for (size_t i = 0; i < sizes.size(); ++i) {
    const auto* bytes = static_cast<const unsigned char*>(given[i]);
    copy->bytes.emplace_back(bytes, bytes + sizes[i]);
    copy->pointers.push_back(copy->bytes.back().data());
  }
  return copy;
}

CUresult launch(const void* function, const uint32_t (&grid)[3], const uint32_t (&block)[3],
                uint32_t shared_bytes, CUstream handle, void** arguments) {
  MFUSIM_NEED_CONTEXT(context);
  MFUSIM_NEED_STREAM(stream, handle);
  report_launch();
  KernelOp op;
  if (CUresult bad = make_kernel_op(op, function, grid, block, shared_bytes, arguments)) return bad;
  return issue(*stream, operation(std::move(op)));
}

}  // namespace

CUresult make_kernel_op(KernelOp& op, const void* function, const uint32_t (&grid)[3],
                        const uint32_t (&block)[3], uint32_t shared_bytes, void** arguments) {
  const Kernel* kernel = find_kernel(function);
  if (!kernel) return CUDA_ERROR_INVALID_HANDLE;
  uint64_t threads = 1, blocks = 1;
  for (int i = 0; i < 3; ++i) {
    threads *= block[i];
    blocks *= grid[i];
  }
  if (threads == 0 || blocks == 0 || threads > kMaxThreadsPerBlock) return CUDA_ERROR_INVALID_VALUE;
  op.name = kernel->name;
  op.function = const_cast<void*>(function);
  std::copy(grid, grid + 3, op.grid);
  std::copy(block, block + 3, op.block);
  op.shared_bytes = shared_bytes;
  op.piece = t_piece.number;
  if (kernel->cost_kind == MFUSIM_COST_PARAM0) {
    if (!arguments || !arguments[0]) return CUDA_ERROR_INVALID_VALUE;
    op.costed = true;
    memcpy(&op.cost, arguments[0], sizeof op.cost);
  }
  if (arguments && !kernel->parameter_sizes.empty())
    op.arguments = copy_arguments(kernel->parameter_sizes, arguments);
  ++t_piece.kernels;
  return CUDA_SUCCESS;
}

CUresult impl_cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                             unsigned by, unsigned bz, unsigned shared_bytes, CUstream stream,
                             void** arguments, void** extra) {
  if (arguments && extra) return CUDA_ERROR_INVALID_VALUE;
  return launch(f, {gx, gy, gz}, {bx, by, bz}, shared_bytes, stream, arguments);
}

CUresult impl_cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction f, void** arguments,
                               void** extra) {
  if (!config || (arguments && extra)) return CUDA_ERROR_INVALID_VALUE;
  const CUlaunchConfig& c = *config;
  return launch(f, {c.gridDimX, c.gridDimY, c.gridDimZ}, {c.blockDimX, c.blockDimY, c.blockDimZ},
                c.sharedMemBytes, c.hStream, arguments);
}

CUresult impl_cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz,
                                        unsigned bx, unsigned by, unsigned bz,
                                        unsigned shared_bytes, CUstream stream, void** arguments) {
  return launch(f, {gx, gy, gz}, {bx, by, bz}, shared_bytes, stream, arguments);
}

}  // namespace mfusim

MFUSIM_EXPORT uint64_t mfusim_work_begin() {
  mfusim::Piece& piece = mfusim::t_piece;
  if (piece.depth++ == 0) piece = {mfusim::g_next_piece++, 0, 1};
  return piece.number;
}
MFUSIM_EXPORT uint32_t mfusim_work_end() {
  mfusim::Piece& piece = mfusim::t_piece;
  if (--piece.depth == 0) piece.number = 0;
  return piece.kernels;
}
