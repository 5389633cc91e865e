/**
 * What a learner is told about an attempt that does not pass: what happened, and the rule behind it. Thrown by the judges of
 * exercises; everything else that they throw is a defect of the course.
 */
export class Lesson extends Error {
  override readonly name = 'Lesson';
  /** What was read, written, refused or returned, with its numbers. */
  readonly saw: string;
  /** The rule that was broken, as one sentence that is true elsewhere too. */
  readonly rule: string | undefined;
  /** The page of the handbook that explains the rule. */
  readonly topic: string | undefined;

  constructor({ saw, rule, topic }: { saw: string; rule?: string | undefined; topic?: string | undefined }) {
    super(saw);
    this.saw = saw;
    this.rule = rule;
    this.topic = topic;
  }
}

/** Ends the attempt with a lesson unless `holds`. */
export function mustHold(
  holds: boolean,
  lesson: () => { saw: string; rule?: string; topic?: string },
): asserts holds {
  if (!holds) throw new Lesson(lesson());
}
