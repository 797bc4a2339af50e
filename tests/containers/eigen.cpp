// SPDX-License-Identifier: MIT
// Library: Eigen
// Package: libeigen3-dev
// Modules: eigen3
#include <Eigen/Dense>
#include <Eigen/Sparse>

#include "survey.hpp"

using sparse = Eigen::SparseMatrix<double>;

// Eigen's dense memory comes from malloc; operator new is called by sparse matrices alone.
int main(int count, char** arguments) {
  containers::survey s(count, arguments);
  s.function("Eigen::MatrixXd", "product, inverse", [] {
    Eigen::MatrixXd const a = Eigen::MatrixXd::Random(20, 20);
    Eigen::MatrixXd const b = (a * a).inverse();
    CHECK(b.rows() == 20);
  });
  s.scenario<sparse>(
      "Eigen::SparseMatrix", "resize, insert, setFromTriplets, product",
      [](sparse& m) {
        m = sparse(40, 40);
        for (int i = 0; i < 30; ++i) m.insert(i, i * 7 % 30) = i;
        m.makeCompressed();
        std::vector<Eigen::Triplet<double>> all;
        for (int i = 0; i < 30; ++i) all.emplace_back(i, i, 1.0);
        sparse other(40, 40);
        other.setFromTriplets(all.begin(), all.end());
        m = sparse(m * other);
      },
      [](sparse& m) { return m.nonZeros() >= 0; });
  return s.run();
}
