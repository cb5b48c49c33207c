// How long operations take, and what they do to memory.
#include "operations.hpp"

#include <cstring>

#include "gpu_model.hpp"
#include "memory.hpp"
#include "mfusim/tracing.h"
#include "named_cost.hpp"

namespace mfusim {
namespace {

template <typename... Fs>
struct Overload : Fs... {
  using Fs::operator()...;
};

uint64_t kernel_ns(const KernelOp& k) {
  if (k.costed) return roofline_ns(k.cost.flops, k.cost.bytes, k.cost.dtype, k.cost.fixed_ns);
  const NamedCost cost = named_cost(k.name, k.grid, k.block);
  return modelled_ns(cost.flops, cost.bytes);
}

uint64_t copy_ns(const CopyOp& c) {
  const GpuModel& gpu = gpu_model();
  const bool from_device = c.source.memory >= MFUSIM_DEVICE,
             to_device = c.destination.memory >= MFUSIM_DEVICE;
  if (!from_device || !to_device) return transfer_ns(c.bytes(), gpu.host_rate);
  if (c.source.device != c.destination.device) return transfer_ns(c.bytes(), gpu.peer_rate);
  return transfer_ns(2 * c.bytes(), gpu.memory_rate);
}

void copy_rows(const CopyOp& c) {
  const auto* from = static_cast<const unsigned char*>(c.from);
  auto* to = static_cast<unsigned char*>(c.to);
  for (size_t slice = 0; slice < c.slices; ++slice) {
    for (size_t row = 0; row < c.rows; ++row) {
      memmove(to + slice * c.to_slice + row * c.to_pitch,
              from + slice * c.from_slice + row * c.from_pitch, c.width);
    }
  }
}

void set_rows(const SetOp& s) {
  for (size_t row = 0; row < s.rows; ++row) {
    auto* to = static_cast<unsigned char*>(s.to) + row * s.pitch;
    if (s.element_bytes == 1) {
      memset(to, int(s.value & 0xff), s.width);
      continue;
    }
    for (size_t i = 0; i < s.width; ++i)
      memcpy(to + i * s.element_bytes, &s.value, s.element_bytes);
  }
}

}  // namespace

uint64_t duration_ns(const Operation& op) {
  return std::visit(
      Overload{[](const KernelOp& k) { return kernel_ns(k); },
               [](const CopyOp& c) { return copy_ns(c); },
               [](const SetOp& s) { return transfer_ns(s.bytes(), gpu_model().memory_rate); },
               [](const auto&) { return uint64_t(0); }},
      op);
}

void move_payload(const Operation& op) {
  if (const auto* c = std::get_if<CopyOp>(&op); c && c->bytes() <= kPayloadLimit) copy_rows(*c);
  if (const auto* s = std::get_if<SetOp>(&op); s && s->bytes() <= kPayloadLimit) set_rows(*s);
  if (const auto* f = std::get_if<FreeOp>(&op); f && f->releases) release(f->address, false);
}

}  // namespace mfusim
