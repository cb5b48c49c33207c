// Definitions of a log by their id. Ids count up from 1, but a log may come from anywhere: an id
// out of all proportion costs no memory.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace mfushim::model {

template <class Value>
class IdTable {
 public:
  void set(std::uint32_t id, Value value) {
    if (id < kDense) {
      if (dense_.size() <= id) dense_.resize(id + 1);
      dense_[id] = std::move(value);
    } else {
      sparse_[id] = std::move(value);
    }
  }

  // What stands under the id; a default value when nothing does.
  const Value& operator[](std::uint32_t id) const {
    if (id < dense_.size()) return dense_[id];
    const auto found = sparse_.find(id);
    return found == sparse_.end() ? missing_ : found->second;
  }

  template <class Function>
  void for_each(Function&& function) {
    for (std::uint32_t id = 0; id < dense_.size(); ++id) function(id, dense_[id]);
    for (auto& [id, value] : sparse_) function(id, value);
  }

 private:
  static constexpr std::uint32_t kDense = 1u << 20;
  std::vector<Value> dense_;
  std::unordered_map<std::uint32_t, Value> sparse_;
  Value missing_{};
};

}  // namespace mfushim::model
