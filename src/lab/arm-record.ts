/** The load of one partition in one interval. */
export interface Cell {
  read: number;
  write: number;
  throttles: number;
}

/** What was consumed and refused on a table or index, by interval and partition. */
export class ArmRecord {
  readonly name: string;
  readonly read: number[];
  readonly write: number[];
  readonly throttles: number[];
  /** By interval: the cells of the partitions that were used in it. */
  readonly cells: Map<number, Cell>[];
  #now = new Map<number, Cell>();
  #units = { read: 0, write: 0 };
  #refused = 0;

  constructor(name: string, intervalsBefore: number) {
    this.name = name;
    const empty = () => new Array<number>(intervalsBefore).fill(0);
    this.read = empty();
    this.write = empty();
    this.throttles = empty();
    this.cells = Array.from({ length: intervalsBefore }, () => new Map<number, Cell>());
  }

  spend(partition: number, access: 'read' | 'write', units: number): void {
    this.#cell(partition)[access] += units;
    this.#units[access] += units;
  }

  throttle(partition: number): void {
    this.#cell(partition).throttles++;
    this.#refused++;
  }

  close(): void {
    this.read.push(this.#units.read);
    this.write.push(this.#units.write);
    this.throttles.push(this.#refused);
    this.cells.push(this.#now);
    this.#now = new Map();
    this.#units = { read: 0, write: 0 };
    this.#refused = 0;
  }

  #cell(partition: number): Cell {
    const known = this.#now.get(partition);
    if (known !== undefined) return known;
    const fresh: Cell = { read: 0, write: 0, throttles: 0 };
    this.#now.set(partition, fresh);
    return fresh;
  }
}
