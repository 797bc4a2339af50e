// SPDX-License-Identifier: MIT
/// \file
/// The loops of the workloads. work.cpp is compiled twice: with frame pointers in every frame, and
/// without.
#pragma once

#include "workloads.hpp"

namespace pairs {

/// Each does the pairs of a turn and measures them.
struct loops {
  void (*pairs_16)(turn&);
  void (*pairs_64)(turn&);
  void (*pairs_512)(turn&);
  void (*pairs_4k)(turn&);
  void (*pairs_64k)(turn&);
  void (*pairs_64k_written)(turn&);
  void (*pairs_1m)(turn&);
  void (*batches_64)(turn&);     ///< eight blocks, then eight frees
  void (*random_victim)(turn&);  ///< 16 to 512 bytes, in place of any live block
  void (*random_and_reads)(turn&);
  void (*new_delete_64)(turn&);
  void (*unwind)(turn&);  ///< _Unwind_Backtrace
  /// Goes down `depth` frames and runs `work` there.
  void (*take_turn)(turn&);
};

extern loops const loops_with_frame_pointers;
extern loops const loops_without_frame_pointers;

}  // namespace pairs
