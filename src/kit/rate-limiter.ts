/** The brake of adaptive mode: a bucket whose rate falls by three tenths when throttled, and grows back by a cubic curve. */
export class RateLimiter {
  #enabled = false;
  #measured = 0;
  #requests = 0;
  #lastBucket = 0;
  #fillRate = 0;
  #capacity = 0;
  #capacityMax = 0;
  #filledAt = 0;
  #lastMax = 0;
  #throttledAt = 0;
  #window = 0;

  acquire(nowMs: number): number {
    if (!this.#enabled) return 0;
    this.#fill(nowMs / 1000);
    const missing = Math.max(0, 1 - this.#capacity);
    this.#capacity -= 1;
    return (missing / this.#fillRate) * 1000;
  }

  answered(nowMs: number, isThrottled: boolean): void {
    const now = nowMs / 1000;
    this.#measure(now);
    let rate: number;
    if (isThrottled) {
      const used = this.#enabled ? Math.min(this.#measured, this.#fillRate) : this.#measured;
      this.#lastMax = used;
      this.#throttledAt = now;
      rate = used * 0.7;
      this.#window = Math.cbrt((this.#lastMax * 0.3) / 0.4);
      this.#enabled = true;
    } else {
      this.#window = Math.cbrt((this.#lastMax * 0.3) / 0.4);
      rate = 0.4 * (now - this.#throttledAt - this.#window) ** 3 + this.#lastMax;
    }
    if (!this.#enabled) return;
    this.#fill(now);
    this.#fillRate = Math.max(Math.min(rate, 2 * this.#measured), 0.5);
    this.#capacityMax = Math.max(this.#fillRate, 1);
    this.#capacity = Math.min(this.#capacity, this.#capacityMax);
  }

  #fill(now: number): void {
    if (this.#filledAt > 0)
      this.#capacity = Math.min(this.#capacityMax, this.#capacity + (now - this.#filledAt) * this.#fillRate);
    this.#filledAt = now;
  }

  #measure(now: number): void {
    const bucket = Math.floor(now * 2) / 2;
    this.#requests++;
    if (bucket <= this.#lastBucket) return;
    this.#measured = (this.#requests / (bucket - this.#lastBucket)) * 0.8 + this.#measured * 0.2;
    this.#requests = 0;
    this.#lastBucket = bucket;
  }
}
