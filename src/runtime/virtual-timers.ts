/** Ends a timer before its time. */
export type Cancel = () => void;

interface Timer {
  readonly atMicros: number;
  readonly number: number;
  readonly run: () => void;
  isOff: boolean;
  isOver: boolean;
}

/**
 * The timers of a virtual time. They go off in the order of their times; timers of one time go off in the order in which
 * they were asked for. The time here only grows: setting a clock back neither repeats nor delays a timer.
 */
export class VirtualTimers {
  #heap: Timer[] = [];
  /** How many timers of the heap were cancelled. */
  #off = 0;
  #nowMicros = 0;
  #number = 0;

  /** Microseconds of virtual time that have passed. */
  get nowMicros(): number {
    return this.#nowMicros;
  }

  /** When the next timer goes off; undefined without timers. */
  get nextMicros(): number | undefined {
    while (this.#heap[0]?.isOff === true) {
      this.#take();
      this.#off--;
    }
    return this.#heap[0]?.atMicros;
  }

  after(micros: number, run: () => void): Cancel {
    const atMicros = this.#nowMicros + Math.max(0, Math.ceil(micros));
    const timer: Timer = { atMicros, number: this.#number++, run, isOff: false, isOver: false };
    this.#add(timer);
    return () => this.#cancel(timer);
  }

  /** Lets time pass, and runs the timers that are due by its end, one after the other. */
  pass(micros: number): void {
    const end = this.#nowMicros + micros;
    for (let next = this.nextMicros; next !== undefined && next <= end; next = this.nextMicros) {
      this.#nowMicros = next;
      this.#end(this.#take()!);
    }
    this.#nowMicros = end;
  }

  /** Lets time pass up to the next timer and runs that one alone; false without timers. */
  runNext(): boolean {
    if (this.nextMicros === undefined) return false;
    const timer = this.#take()!;
    this.#nowMicros = timer.atMicros;
    this.#end(timer);
    return true;
  }

  /** Timers of a clock that nobody moves must not pile up: cancelled ones go once they are most of the heap. */
  #cancel(timer: Timer): void {
    if (timer.isOff || timer.isOver) return;
    timer.isOff = true;
    this.#off++;
    if (this.#off < offMin || this.#off * 2 < this.#heap.length) return;
    const left = this.#heap.filter(({ isOff }) => !isOff);
    this.#heap = [];
    this.#off = 0;
    for (const each of left) this.#add(each);
  }

  #end(timer: Timer): void {
    timer.isOver = true;
    timer.run();
  }

  /** How many timers are kept. */
  get size(): number {
    return this.#heap.length;
  }

  #add(timer: Timer): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(timer);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(timer, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = timer;
  }

  #take(): Timer | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === first) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (!isBefore(heap[child]!, last!)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last!;
    return first;
  }
}

const offMin = 64;

function isBefore(a: Timer, b: Timer): boolean {
  return a.atMicros < b.atMicros || (a.atMicros === b.atMicros && a.number < b.number);
}
