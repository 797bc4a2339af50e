# SPDX-License-Identifier: MIT
"""A Conan 2 recipe of the library, without the command. Untested."""

import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load


class MemprofConan(ConanFile):
    name = "memprof"
    license = "MIT"
    description = "Probabilistic memory and allocation limits for C++"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fiber": [True, False]}
    default_options = {"shared": False, "fiber": False, "boost/*:without_context": False}
    generators = "CMakeDeps"

    def set_version(self):
        header = load(self, os.path.join(self.recipe_folder, "../../include/memprof/version.hpp"))
        self.version = ".".join(re.findall(r"#define MEMPROF_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header))

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..", "..")
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "src/*"):
            copy(self, pattern, src=root, dst=self.export_sources_folder)

    def validate(self):
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("memprof runs on Linux only")

    def requirements(self):
        if self.options.fiber:
            self.requires("boost/[>=1.81.0]")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["MEMPROF_BUILD_SERVE"] = "OFF"
        toolchain.cache_variables["MEMPROF_BUILD_FIBER"] = "ON" if self.options.fiber else "OFF"
        for part in ("TESTS", "EXAMPLES", "TOOLS", "PRELOAD"):
            toolchain.cache_variables[f"MEMPROF_BUILD_{part}"] = "OFF"
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", src=self.source_folder, dst=os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        # What memprof installs for CMake is right already.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "memprof")]
