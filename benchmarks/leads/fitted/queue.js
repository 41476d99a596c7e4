// A queue of jobs that are retried when they fail.
//
// How many times is a job retried? See maxAttempts below.
// What happens to jobs that fail for good? They go to the dead letters.

const DEFAULT_DELAY = 250; // milliseconds before the first retry

/**
 * Create a queue.
 * The queue holds jobs in memory, so jobs are lost when the process ends.
 */
export class Queue {
  constructor({ maxAttempts = 5, concurrency = 3, onDead = null } = {}) {
    this.maxAttempts = maxAttempts;
    this.concurrency = concurrency;
    this.onDead = onDead;
    this.waiting = [];
    this.running = 0;
    this.dead = [];
  }

  // Add a job to the queue; a job with a higher priority is run first.
  add(job, priority = 0) {
    this.waiting.push({ job, priority, attempts: 0 });
    this.waiting.sort((a, b) => b.priority - a.priority);
    this.next();
  }

  // The delay before a retry doubles each time and never exceeds one minute.
  delay(attempts) {
    return Math.min(DEFAULT_DELAY * 2 ** attempts, 60_000);
  }

  next() {
    while (this.running < this.concurrency && this.waiting.length > 0) {
      const entry = this.waiting.shift();
      this.running += 1;
      this.run(entry);
    }
  }

  async run(entry) {
    try {
      await entry.job();
    } catch (error) {
      entry.attempts += 1;
      if (entry.attempts < this.maxAttempts) {
        setTimeout(() => this.waiting.push(entry), this.delay(entry.attempts));
      } else {
        // No attempts are left: keep the job for inspection.
        this.dead.push({ ...entry, error });
        if (this.onDead) this.onDead(entry, error);
      }
    } finally {
      this.running -= 1;
      this.next();
    }
  }

  /** Stop taking jobs and wait up to `timeout` milliseconds for those that run. */
  async drain(timeout = 10_000) {
    this.waiting = [];
    const end = Date.now() + timeout;
    while (this.running > 0 && Date.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return this.running === 0;
  }
}
