// Goroutines count under a sync.Mutex.
package main

import "sync"

func main() {
	var mutex sync.Mutex
	var group sync.WaitGroup
	n := 0

	for i := 0; i < 4; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for j := 0; j < 5; j++ {
				mutex.Lock()
				n++
				mutex.Unlock()
			}
		}()
	}
	group.Wait()
	if n != 20 {
		panic(n)
	}
}
