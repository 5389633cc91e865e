import { Seeded } from '../../workload/seeded.ts';

export interface Question {
  readonly id: string;
  readonly asks: string;
  readonly right: string;
  readonly wrong: readonly string[];
  /** Why, in two or three sentences. */
  readonly because: string;
  /** The page of the handbook that proves it. */
  readonly topic: string;
  /** The exercise in which it is met. */
  readonly exercise?: string;
  /** The certificates whose exams ask it. */
  readonly exams?: readonly string[];
}

export interface Quiz {
  readonly id: string;
  readonly title: string;
  readonly questions: readonly Question[];
}

const letters = 'abcdef';

/** A question as it is asked: its answers in an order that is always the same, each with its letter. */
export function choicesOf({
  id,
  right,
  wrong,
}: Question): { letter: string; text: string; isRight: boolean }[] {
  const random = new Seeded(7, id);
  const texts = [right, ...wrong];
  for (let at = texts.length - 1; at > 0; at--) {
    const other = random.below(at + 1);
    [texts[at], texts[other]] = [texts[other]!, texts[at]!];
  }
  return texts.map((text, at) => ({ letter: letters[at]!, text, isRight: text === right }));
}

export interface Graded {
  readonly question: Question;
  readonly given: string | undefined;
  readonly rightLetter: string;
  readonly isRight: boolean;
}

/** Grades letters, one for each question; what is missing or no letter of the question is wrong. */
export function grade(quiz: Quiz, answers: readonly (string | undefined)[]): Graded[] {
  return quiz.questions.map((question, at) => {
    const choices = choicesOf(question);
    const given = answers[at]?.toLowerCase();
    const { letter } = choices.find(({ isRight }) => isRight)!;
    return { question, given, rightLetter: letter, isRight: given === letter };
  });
}
