module memprof

go 1.19
