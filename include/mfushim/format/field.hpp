// How a record kind states its fields: name, member and prediction of each column in wire order.
#pragma once

#include <cstdint>

namespace mfushim::format {

// How a column's values are predicted, so that what is left is small. Written in each column's
// head.
enum class Transform : std::uint8_t {
  kPlain = 0,     // the value
  kDelta = 1,     // zigzag(value - value of the previous record)
  kSinceEnd = 2,  // zigzag(start - (start + duration of the previous record))
  kByKey = 3,     // zigzag(value - last value of a record with the same key())
};

template <class Record, class Value>
struct Field {
  const char* name;
  Value Record::*member;
  Transform transform = Transform::kPlain;
};

template <class Record, class Value>
Field(const char*, Value Record::*) -> Field<Record, Value>;
template <class Record, class Value>
Field(const char*, Value Record::*, Transform) -> Field<Record, Value>;

}  // namespace mfushim::format
