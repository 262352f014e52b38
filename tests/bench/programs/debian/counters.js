// Two workers add to a shared counter with Atomics, and send it to the main thread.
const { Worker, isMainThread, workerData, parentPort } = require('worker_threads');

if (isMainThread) {
  const memory = new SharedArrayBuffer(4);
  let left = 2;
  for (let i = 0; i < 2; i++) {
    new Worker(__filename, { workerData: memory }).on('exit', () => {
      if (--left === 0)
        console.log('total', new Int32Array(memory)[0]);
    });
  }
} else {
  for (let i = 0; i < 20; i++)
    Atomics.add(new Int32Array(workerData), 0, i);
  parentPort.postMessage('done');
}
