(* SPDX-License-Identifier: MIT
   What OCaml's own sampler costs: COUNT short-lived blocks of 7 words and their header, 25 frames below main,
   under Gc.Memprof at RATE with callbacks that keep the block tracked (0: off). Prints the CPU for a block. *)

let keep (a : Gc.Memprof.allocation) = Some a.n_samples

let tracker : (int, int) Gc.Memprof.tracker =
  { alloc_minor = keep; alloc_major = keep; promote = (fun n -> Some n);
    dealloc_minor = ignore; dealloc_major = ignore }

let allocate count =
  for i = 1 to count do
    ignore (Sys.opaque_identity (i, i, i, i, i, i, i))
  done

(* Nothing here is a tail call. *)
let rec at_depth frames f = if frames = 0 then f () else 1 + at_depth (frames - 1) f

let () =
  let rate = float_of_string Sys.argv.(1) and count = int_of_string Sys.argv.(2) in
  if rate > 0. then Gc.Memprof.start ~sampling_rate:rate tracker;
  let seconds = ref 0. in
  let work () =
    allocate (count / 10);
    let start = Sys.time () in
    allocate count;
    seconds := Sys.time () -. start;
    0
  in
  ignore (Sys.opaque_identity (at_depth 25 work));
  Printf.printf "{\"ns\": %.6g}\n" (!seconds *. 1e9 /. float_of_int count)
