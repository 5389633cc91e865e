import { parsePath } from './path.ts';
import type { TokenReader } from './token-reader.ts';
import type { ParsedOperand } from './tree.ts';

/** What the parentheses around an operand may do, which is where conditions and updates differ. */
export interface GroupRules {
  /** Reads what follows a closing parenthesis and belongs to the operand within; whether there was any. */
  extend(operand: ParsedOperand): boolean;
  /** A pair of parentheses has nothing but another pair in it. */
  foundRedundant(): void;
}

/**
 * An operand: a value, a path or a call, with any parentheses around it. Calls within calls are kept in a list rather
 * than by recursion, because 4 KB hold two thousand of them.
 */
export function parseOperand(reader: TokenReader, rules: GroupRules): ParsedOperand {
  const calls: OpenCall[] = [];
  for (;;) {
    let opened = 0;
    while (reader.takeIf('(')) opened++;
    if (reader.isCall) {
      calls.push({ function: reader.take().text, operands: [], opened });
      reader.take();
      continue;
    }
    let operand: ParsedOperand =
      reader.token.kind === 'value reference'
        ? { kind: 'value', reference: reader.take().text }
        : parsePath(reader);
    closeGroups(reader, rules, operand, opened);
    for (;;) {
      const call = calls[calls.length - 1];
      if (call === undefined) return operand;
      call.operands.push(operand);
      if (reader.takeIf(',')) break;
      reader.expect(')');
      calls.pop();
      operand = { kind: 'call', function: call.function, operands: call.operands };
      closeGroups(reader, rules, operand, call.opened);
    }
  }
}

/** A call whose operands are being read, and how many parentheses stand open before it. */
interface OpenCall {
  readonly function: string;
  readonly operands: ParsedOperand[];
  readonly opened: number;
}

function closeGroups(reader: TokenReader, rules: GroupRules, operand: ParsedOperand, opened: number): void {
  let grouped = false;
  for (let open = opened; open > 0; open--) {
    reader.expect(')');
    if (grouped) rules.foundRedundant();
    grouped = !rules.extend(operand);
  }
}
