import { interview } from './interview.ts';
import { quick } from './quick.ts';
import type { Quiz } from './quiz.ts';
import { selfCheck } from './self-check.ts';

export const quizzes: readonly Quiz[] = [selfCheck, interview, quick];
