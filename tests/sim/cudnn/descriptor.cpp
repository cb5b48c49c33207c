// libcudnn's backend descriptors: create, set, get, finalize, destroy.
#include "descriptor.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace mfusim::cudnn {
namespace {

size_t element_bytes(cudnnBackendAttributeType_t type) {
  switch (type) {
    case CUDNN_TYPE_HANDLE:
    case CUDNN_TYPE_INT64:
    case CUDNN_TYPE_DOUBLE:
    case CUDNN_TYPE_VOID_PTR:
    case CUDNN_TYPE_BACKEND_DESCRIPTOR:
      return 8;
    case CUDNN_TYPE_BOOLEAN:
    case CUDNN_TYPE_CHAR:
      return 1;
    case CUDNN_TYPE_FRACTION:
      return 16;
    default:
      return 4;
  }
}

// Integers that the library knows by itself, without anybody having set them.
struct Known {
  int attribute;
  int64_t value;
};
constexpr Known kKnown[] = {
    {CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, 0},
    {CUDNN_ATTR_ENGINECFG_WORKSPACE_SIZE, 0},
    {CUDNN_ATTR_ENGINE_GLOBAL_INDEX, 0},
    {CUDNN_ATTR_OPERATIONGRAPH_ENGINE_GLOBAL_COUNT, 1},
};
constexpr char kPlanAsJson[] = "{\"version\":1}";

template <class T>
Value value_of(cudnnBackendAttributeType_t type, const T* from, size_t count) {
  Value value;
  value.type = type;
  value.count = static_cast<int64_t>(count);
  const auto* bytes = reinterpret_cast<const std::byte*>(from);
  value.bytes.assign(bytes, bytes + count * sizeof(T));
  return value;
}

Value reference(std::shared_ptr<Content> content) {
  Value value;
  value.type = CUDNN_TYPE_BACKEND_DESCRIPTOR;
  value.count = 1;
  value.others.push_back(std::move(content));
  return value;
}

std::shared_ptr<Content> made(cudnnBackendDescriptorType_t type, int attribute, Value value) {
  auto content = std::make_shared<Content>();
  content->type = type;
  content->finalized = true;
  content->values[attribute] = std::move(value);
  return content;
}

// The one result of the heuristic: an engine for its graph.
Value heuristic_results(const Content& heuristic) {
  const auto graph = heuristic.values.find(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
  if (graph == heuristic.values.end()) return {};
  auto engine =
      made(CUDNN_BACKEND_ENGINE_DESCRIPTOR, CUDNN_ATTR_ENGINE_OPERATION_GRAPH, graph->second);
  return reference(made(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, CUDNN_ATTR_ENGINECFG_ENGINE,
                        reference(std::move(engine))));
}

// What is stored, or what the library answers by itself; nothing has count 0.
Value lookup(const Content& content, int attribute) {
  if (const auto found = content.values.find(attribute); found != content.values.end()) {
    return found->second;
  }
  if (attribute == CUDNN_ATTR_ENGINEHEUR_RESULTS) return heuristic_results(content);
  if (attribute == CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION) {
    return value_of(CUDNN_TYPE_CHAR, kPlanAsJson, sizeof kPlanAsJson);
  }
  if (attribute == CUDNN_ATTR_ENGINECFG_SHARED_MEMORY_USED) {
    constexpr int32_t kNone = 0;
    return value_of(CUDNN_TYPE_INT32, &kNone, 1);
  }
  const auto* known = std::ranges::find(kKnown, attribute, &Known::attribute);
  return known != std::end(kKnown) ? value_of(CUDNN_TYPE_INT64, &known->value, 1) : Value{};
}

Descriptor* of(cudnnBackendDescriptor_t descriptor) {
  return static_cast<Descriptor*>(descriptor);
}

}  // namespace

const Content* Content::other(int attribute) const {
  const auto found = values.find(attribute);
  return found != values.end() && !found->second.others.empty() ? found->second.others[0].get()
                                                                : nullptr;
}

std::vector<int64_t> Content::integers(int attribute) const {
  const auto found = values.find(attribute);
  if (found == values.end() || element_bytes(found->second.type) != sizeof(int64_t)) return {};
  std::vector<int64_t> result(found->second.bytes.size() / sizeof(int64_t));
  std::memcpy(result.data(), found->second.bytes.data(), result.size() * sizeof(int64_t));
  return result;
}

}  // namespace mfusim::cudnn

using namespace mfusim::cudnn;

extern "C" {

cudnnStatus_t cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t type,
                                           cudnnBackendDescriptor_t* descriptor) {
  if (descriptor == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  auto content = std::make_shared<Content>();
  content->type = type;
  *descriptor = new Descriptor{std::move(content)};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t descriptor) {
  delete of(descriptor);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendInitialize(cudnnBackendDescriptor_t descriptor) {
  return descriptor != nullptr ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
}

cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t descriptor,
                                       cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, int64_t count,
                                       const void* elements) {
  if (descriptor == nullptr || (count > 0 && elements == nullptr)) {
    return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  }
  Content& content = *of(descriptor)->content;
  if (content.finalized || count < 0) return CUDNN_STATUS_BAD_PARAM;
  Value value;
  if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR) {
    const auto* others = static_cast<const cudnnBackendDescriptor_t*>(elements);
    value.type = type;
    value.count = count;
    for (int64_t i = 0; i < count; ++i) {
      if (others[i] == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
      if (!of(others[i])->content->finalized) return CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED;
      value.others.push_back(of(others[i])->content);
    }
  } else {
    value = value_of(type, static_cast<const std::byte*>(elements),
                     static_cast<size_t>(count) * element_bytes(type));
    value.count = count;
  }
  content.values[name] = std::move(value);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendGetAttribute(cudnnBackendDescriptor_t const descriptor,
                                       cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, int64_t requested,
                                       int64_t* count, void* elements) {
  if (descriptor == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  // As the real library: the operations of a graph are not given back.
  if (name == CUDNN_ATTR_OPERATIONGRAPH_OPS) return CUDNN_STATUS_NOT_SUPPORTED;
  const Value value = lookup(*of(descriptor)->content, name);
  if (count != nullptr) *count = value.count;
  const int64_t filled = elements != nullptr ? std::min(requested, value.count) : 0;
  if (filled <= 0) return CUDNN_STATUS_SUCCESS;
  if (value.type != type) return CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE;
  if (type != CUDNN_TYPE_BACKEND_DESCRIPTOR) {
    std::memcpy(elements, value.bytes.data(), static_cast<size_t>(filled) * element_bytes(type));
    return CUDNN_STATUS_SUCCESS;
  }
  // The caller made descriptors, the library fills them.
  auto* others = static_cast<cudnnBackendDescriptor_t*>(elements);
  for (int64_t i = 0; i < filled; ++i) {
    if (others[i] == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    *of(others[i])->content = *value.others[static_cast<size_t>(i)];
  }
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t descriptor) {
  if (descriptor == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  of(descriptor)->content->finalized = true;
  return CUDNN_STATUS_SUCCESS;
}

}  // extern "C"
