module limits

go 1.19

require memprof v0.0.0

replace memprof => ../../../examples/go/memprof
