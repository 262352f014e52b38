(* Three threads add to a total under a mutex, and tell main through a condition variable that they are done. *)
let mutex = Mutex.create ()
let changed = Condition.create ()
let total = ref 0
let ended = ref 0

let work () =
  for i = 0 to 19 do
    Mutex.lock mutex;
    total := !total + i;
    Mutex.unlock mutex;
    Thread.yield ()
  done;
  Mutex.lock mutex;
  incr ended;
  Condition.signal changed;
  Mutex.unlock mutex

let () =
  let threads = List.init 3 (fun _ -> Thread.create work ()) in
  Mutex.lock mutex;
  while !ended < 3 do Condition.wait changed mutex done;
  Mutex.unlock mutex;
  List.iter Thread.join threads;
  Printf.printf "total %d\n" !total
