// SPDX-License-Identifier: MIT
// Library: OpenCV core
// Package: libopencv-core-dev
// Flags: -I/usr/include/opencv4
// Libraries: -lopencv_core
#include <opencv2/core.hpp>

#include "survey.hpp"

int main(int count, char** arguments) {
  containers::survey s(count, arguments);
  cv::setNumThreads(1);
  s.function("cv::Mat", "push_back, product, sort, split", [] {
    cv::Mat m = cv::Mat::eye(20, 20, CV_64F);
    m.push_back(cv::Mat(cv::Mat::ones(1, 20, CV_64F)));
    cv::Mat const product = m * m.t();
    cv::Mat sorted;
    cv::sort(product, sorted, cv::SORT_EVERY_ROW);
    std::vector<cv::Mat> planes{m, m};
    cv::merge(planes, sorted);
    cv::split(sorted, planes);
  });
  s.function("cv::FileStorage", "write, read", [] {
    cv::FileStorage out(".yml", cv::FileStorage::WRITE | cv::FileStorage::MEMORY);
    out << "m" << cv::Mat(cv::Mat::eye(3, 3, CV_64F)) << "t" << containers::text(1);
    cv::FileStorage in(out.releaseAndGetString(), cv::FileStorage::READ | cv::FileStorage::MEMORY);
    cv::Mat m;
    in["m"] >> m;
    CHECK(m.rows == 3);
  });
  return s.run();
}
