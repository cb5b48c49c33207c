// Forward y[rows, outs] = x[rows, ins] w[ins, outs], gradient of the input dy w', and gradient of
// the weight x' dy have the same three dimensions. Each of them is summed over once: only the last
// sums over the rows. A product of two activations has two gradients as well, so that without
// recomputation each forward product makes three.
#include "passes/product_roles.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace mfushim::passes {

namespace {

using format::GemmShape;

// How a product is laid out and in which types: equal for equal work. In fp8 all layouts are one,
// but gradients are of another type.
auto form_of(const GemmShape& s) {
  return std::tuple(s.m, s.n, s.k, s.trans_a, s.trans_b, s.a, s.b, s.d);
}
using Form = decltype(form_of({}));

auto layout_of(const GemmShape& s) {
  return std::tuple(s.trans_a, s.trans_b, s.a, s.b, s.d);
}

struct Members {
  ProductFamily family;
  std::vector<std::size_t> at;  // places in the sequence
  bool forward_alone = false;   // no weight's gradient, whatever the sizes suggest
};

class RoleFinder {
 public:
  explicit RoleFinder(const std::vector<const GemmShape*>& products) : products_(products) {}

  StepProducts find() {
    gather();
    find_forward_alone();
    find_rows();
    mark_weight_gradients();
    result_.forward = forward_end_;
    result_.micro_batches = repetitions();
    for (Members& members : families_) count_gradients(members);
    for (Members& members : families_) count(members);
    Flops most = 0;
    for (const Members& members : families_) {
      const Flops flops = members.family.flops * members.family.products;
      if (members.family.rows != 0 && flops > most) {
        most = flops;
        result_.rows = members.family.rows;
      }
      result_.families.push_back(members.family);
    }
    return std::move(result_);
  }

 private:
  const GemmShape& product(std::size_t i) const { return *products_[i]; }

  void gather() {
    std::map<std::tuple<std::array<std::uint64_t, 3>, std::uint64_t>, std::size_t> known;
    for (std::size_t i = 0; i < products_.size(); ++i) {
      const GemmShape& s = product(i);
      std::array<std::uint64_t, 3> dimensions{s.m, s.n, s.k};
      std::sort(dimensions.begin(), dimensions.end());
      const auto [at, added] = known.try_emplace(std::tuple(dimensions, s.batch), families_.size());
      if (added) {
        families_.emplace_back();
        families_.back().family.dimensions = dimensions;
        families_.back().family.batch = s.batch;
        families_.back().family.flops = flops_of(s);
      }
      families_[at->second].at.push_back(i);
      ++families_[at->second].family.products;
      family_of_.push_back(at->second);
    }
  }

  template <class F>
  bool all_of(const Members& members, F&& f) const {
    return std::all_of(members.at.begin(), members.at.end(),
                       [&](std::size_t i) { return f(product(i), product(members.at.front())); });
  }

  // Weights that change two widths back and forth make products of the same dimensions as one
  // weight's gradients. But the rows stay n then, where a gradient of a weight sums over them.
  // Where they equal a width that is summed over, the whole must have no gradient, and one layout.
  void find_forward_alone() {
    const auto same_n = [](const GemmShape& s, const GemmShape& first) { return s.n == first.n; };
    const auto keeps_n = [](const GemmShape& s, const GemmShape& first) {
      return s.n == first.n && s.k != first.n;
    };
    const auto same_layout = [](const GemmShape& s, const GemmShape& first) {
      return layout_of(s) == layout_of(first);
    };
    const bool whole = std::all_of(families_.begin(), families_.end(), [&](const Members& members) {
      return members.family.batch != 1 || all_of(members, same_n);
    });
    for (Members& members : families_)
      members.forward_alone = members.family.batch == 1 &&
                              (all_of(members, keeps_n) || (whole && all_of(members, same_layout)));
  }

  // Rows are never summed over in a family's first product, which is forward, and are in a later.
  bool fits(const Members& members, std::uint64_t rows, bool backward) const {
    if (members.family.batch != 1 || members.family.rows != 0) return false;
    if (members.forward_alone) return !backward && product(members.at.front()).n == rows;
    const GemmShape& first = product(members.at.front());
    if (first.m != rows && first.n != rows) return false;
    const bool summed = std::any_of(members.at.begin(), members.at.end(),
                                    [&](std::size_t i) { return product(i).k == rows; });
    return backward == summed;
  }

  // The dimension that explains the most work; of equals the one that is n, as libraries that count
  // by columns have it for row-major rows.
  std::uint64_t best_rows(bool backward) const {
    std::map<std::uint64_t, std::pair<Flops, Flops>> scores;
    for (const Members& members : families_)
      for (const std::uint64_t rows :
           std::set(members.family.dimensions.begin(), members.family.dimensions.end())) {
        if (!fits(members, rows, backward)) continue;
        const Flops flops = members.family.flops * members.family.products;
        scores[rows].first += flops;
        if (product(members.at.front()).n == rows) scores[rows].second += flops;
      }
    std::uint64_t best = 0;
    std::pair<Flops, Flops> highest{0, 0};
    for (const auto& [rows, score] : scores)
      if (score > highest) {
        best = rows;
        highest = score;
      }
    return best;
  }

  // Most families share their rows; experts or a head on a part of the tokens have others.
  void find_rows() {
    for (const bool backward : {true, false}) {
      while (const std::uint64_t rows = best_rows(backward)) {
        for (Members& members : families_)
          if (fits(members, rows, backward)) members.family.rows = rows;
        result_.has_backward = result_.has_backward || backward;
      }
      // Without any backward pass families that are never summed over rows are forward alone.
      if (result_.has_backward) break;
    }
  }

  bool is_ambiguous(const ProductFamily& family) const {
    return std::count(family.dimensions.begin(), family.dimensions.end(), family.rows) > 1;
  }

  // Where another dimension equals the rows the transposes tell, as they are in other families.
  void mark_weight_gradients() {
    is_weight_gradient_.resize(products_.size());
    using Transposes = std::pair<format::Transpose, format::Transpose>;
    const auto transposes = [&](std::size_t i) {
      return Transposes(product(i).trans_a, product(i).trans_b);
    };
    std::set<Transposes> of_gradients, of_first;
    for (const Members& members : families_) {
      of_first.insert(transposes(members.at.front()));
      if (members.family.rows == 0 || is_ambiguous(members.family)) continue;
      for (const std::size_t i : members.at)
        if (product(i).k == members.family.rows) {
          is_weight_gradient_[i] = true;
          of_gradients.insert(transposes(i));
        }
    }
    if (of_gradients.empty())
      of_gradients = {{format::Transpose::kNone, format::Transpose::kTranspose}};
    for (const Members& members : families_) {
      if (members.family.rows == 0 || !is_ambiguous(members.family)) continue;
      for (const std::size_t i : members.at)
        is_weight_gradient_[i] = product(i).k == members.family.rows &&
                                 of_gradients.contains(transposes(i)) &&
                                 !of_first.contains(transposes(i));
    }
    const auto first = std::find(is_weight_gradient_.begin(), is_weight_gradient_.end(), true);
    forward_end_ = static_cast<std::size_t>(first - is_weight_gradient_.begin());
    // The gradient of the last weight's input may come before that of the weight.
    if (forward_end_ > 0 && forward_end_ < products_.size() &&
        family_of_[forward_end_ - 1] == family_of_[forward_end_] &&
        form_of(product(forward_end_ - 1)) !=
            form_of(product(families_[family_of_[forward_end_]].at.front())))
      --forward_end_;
  }

  // The largest number of equal parts of the sequence; a few products may differ.
  std::uint64_t repetitions() const {
    const std::size_t size = products_.size();
    for (std::size_t part = 1; part <= size / 2; ++part) {
      if (size % part != 0) continue;
      std::size_t different = 0;
      const std::size_t allowed = size / 50;
      for (std::size_t i = 0; i + part < size && different <= allowed; ++i)
        different += form_of(product(i)) != form_of(product(i + part));
      if (different <= allowed) return size / part;
    }
    return 1;
  }

  void count_gradients(Members& members) {
    for (const std::size_t i : members.at)
      if (is_weight_gradient_[i]) ++members.family.gradients;
    if (members.family.gradients == 0) return;
    gradients_ += members.family.gradients;
    before_gradients_ += before_backward(members);
  }

  std::uint64_t before_backward(const Members& members) const {
    return static_cast<std::uint64_t>(
        std::lower_bound(members.at.begin(), members.at.end(), forward_end_) - members.at.begin());
  }

  // Products of activations are repeated as often as those of weights, each of which has one
  // gradient; pipelines begin with several micro-batches, others with one.
  std::uint64_t forward_of(const Members& members) const {
    if (members.family.gradients > 0) return members.family.gradients;
    const std::uint64_t before = before_backward(members);
    if (before == 0) return (members.family.products + 2) / 3;
    if (before_gradients_ == 0) return before * result_.micro_batches;
    return (before * gradients_ + before_gradients_ / 2) / before_gradients_;
  }

  void count(Members& members) {
    ProductFamily& family = members.family;
    if (!result_.has_backward) {
      family.forward = family.products;
      return;
    }
    family.forward = forward_of(members);
    std::set<Form> forward_forms;
    for (std::size_t i = 0; i < before_backward(members); ++i)
      forward_forms.insert(form_of(product(members.at[i])));
    std::uint64_t as_forward = 0, other = 0;
    for (const std::size_t i : members.at) {
      if (is_weight_gradient_[i]) continue;
      ++(forward_forms.contains(form_of(product(i))) ? as_forward : other);
    }
    // Where gradients of inputs look different from forward products all else is done again; the
    // first weight of a model has no such gradient.
    const bool separate =
        family.rows != 0 && other > 0 && other + result_.micro_batches >= family.forward;
    const std::uint64_t once = separate ? family.forward : 3 * family.forward;
    const std::uint64_t all = separate ? as_forward : family.products;
    family.recomputed = all > once ? all - once : 0;
  }

  const std::vector<const GemmShape*>& products_;
  std::vector<Members> families_;
  std::vector<std::size_t> family_of_;
  std::vector<bool> is_weight_gradient_;
  std::size_t forward_end_ = 0;
  // Of families of weights: their gradients, and forward products before any gradient.
  std::uint64_t gradients_ = 0, before_gradients_ = 0;
  StepProducts result_;
};

}  // namespace

StepProducts find_roles(const std::vector<const GemmShape*>& products) {
  return RoleFinder(products).find();
}

}  // namespace mfushim::passes
