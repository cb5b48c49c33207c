// Tables of live handles, so that a stale or foreign one is an error and not a crash.
#pragma once
#include <memory>
#include <unordered_map>

namespace mfusim {

// T is the simulator's object, Handle the vendor's opaque pointer to it. All under the simulator's
// lock.
template <typename T, typename Handle>
class Handles {
 public:
  T* find(Handle handle) const {
    const auto it = objects_.find(reinterpret_cast<T*>(handle));
    return it == objects_.end() ? nullptr : it->second.get();
  }
  std::shared_ptr<T> share(Handle handle) const {
    const auto it = objects_.find(reinterpret_cast<T*>(handle));
    return it == objects_.end() ? nullptr : it->second;
  }
  Handle insert(std::shared_ptr<T> object) {
    T* raw = object.get();
    objects_.emplace(raw, std::move(object));
    return handle_of(raw);
  }
  bool erase(Handle handle) { return objects_.erase(reinterpret_cast<T*>(handle)) != 0; }
  template <typename Predicate>
  void erase_if(Predicate predicate) {
    std::erase_if(objects_, [&](const auto& entry) { return predicate(*entry.second); });
  }
  template <typename Visitor>
  void each(Visitor visit) const {
    for (const auto& [raw, object] : objects_) visit(*object);
  }
  static Handle handle_of(const T* object) {
    return reinterpret_cast<Handle>(const_cast<T*>(object));
  }

 private:
  std::unordered_map<const T*, std::shared_ptr<T>> objects_;
};

}  // namespace mfusim
