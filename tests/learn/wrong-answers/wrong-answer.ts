export type Files = Readonly<Record<string, string>>;

/** An answer that somebody might give, as a change of the solution, and what it must be told. */
export interface WrongAnswer {
  readonly what: string;
  readonly change: (solution: Files, start: Files) => Files;
  readonly saw: RegExp;
  readonly rule?: RegExp;
}

/** Replaces a passage of the solution. The passage must be there, or the test would try the solution itself. */
export function instead(file: string, ...pairs: readonly (readonly [passage: string, by: string])[]) {
  return (solution: Files): Files => {
    let text = solution[file]!;
    for (const [passage, by] of pairs) {
      if (!text.includes(passage)) throw new Error(`${file} has no passage ${passage}`);
      text = text.replace(passage, () => by);
    }
    return { ...solution, [file]: text };
  };
}

export type WrongAnswers = Readonly<Record<string, readonly WrongAnswer[]>>;
