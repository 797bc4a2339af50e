// SPDX-License-Identifier: MIT
// Library: Magick++
// Package: libmagick++-dev
// Modules: Magick++
#include <Magick++.h>

#include "survey.hpp"

int main(int count, char** arguments) {
  Magick::InitializeMagick(nullptr);
  containers::survey s(count, arguments);
  s.function("Magick::Image", "make, copy, draw, write to memory", [] {
    Magick::Image image(Magick::Geometry(20, 10), Magick::Color("red"));
    Magick::Image copy = image;
    copy.modifyImage();
    copy.draw(Magick::DrawableLine(0, 0, 5, 5));
    copy.magick("PPM");
    Magick::Blob blob;
    copy.write(&blob);
    CHECK(blob.length() > 600);
  });
  return s.run();
}
