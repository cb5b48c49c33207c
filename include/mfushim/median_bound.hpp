// How sure a median is: the recorder acts on it, the analyzer shows it.
#pragma once

namespace mfushim {

// Of n values from anywhere the k-th smallest is at most the median of where they come from, and
// the k-th largest at least, each with a confidence of 95 %: P(Binomial(n, 1/2) < k) <= 5 %. 0: n
// is too small, below 5.
constexpr int median_bound(int n) {
  constexpr double kDoubt = 0.05;
  constexpr int kExact = 1000;  // beyond that, powers of two vanish
  if (n > kExact) return n / kExact * median_bound(kExact);
  double chance = 1;
  for (int i = 0; i < n; ++i) chance /= 2;
  double sum = chance;
  int k = 0;
  while (sum <= kDoubt) {
    ++k;
    chance *= static_cast<double>(n - k + 1) / k;
    sum += chance;
  }
  return k;
}

}  // namespace mfushim
