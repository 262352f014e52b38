// Three goroutines add to a total under a mutex and send their sums through a channel.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var mutex sync.Mutex
	var group sync.WaitGroup
	total := 0
	sums := make(chan int, 3)
	for worker := 0; worker < 3; worker++ {
		group.Add(1)
		go func() {
			defer group.Done()
			sum := 0
			for i := 0; i < 20; i++ {
				mutex.Lock()
				total += i
				mutex.Unlock()
				sum += i
			}
			sums <- sum
		}()
	}
	group.Wait()
	close(sums)
	sent := 0
	for sum := range sums {
		sent += sum
	}
	fmt.Printf("total %d sent %d\n", total, sent)
}
