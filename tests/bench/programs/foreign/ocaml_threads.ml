(* Threads share a table and a sum under a Mutex, and main waits at a Condition. *)
let m = Mutex.create ()
let c = Condition.create ()
let total = ref 0
let finished = ref 0
let table : (int, int list) Hashtbl.t = Hashtbl.create 8

let work i =
  for j = 1 to 5 do
    Mutex.lock m;
    total := !total + j;
    Hashtbl.replace table i (j :: (try Hashtbl.find table i with Not_found -> []));
    Mutex.unlock m;
    Thread.yield ()
  done;
  Mutex.lock m;
  incr finished;
  Condition.signal c;
  Mutex.unlock m

let () =
  let threads = List.map (Thread.create work) [ 1; 2; 3 ] in
  Mutex.lock m;
  while !finished < 3 do
    Condition.wait c m
  done;
  Mutex.unlock m;
  List.iter Thread.join threads;
  if !total <> 45 then exit 1
