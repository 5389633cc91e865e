/**
 * Counts the work that requests from outside cause. The counts bound nothing; tests read them to see that the work
 * stays in proportion to what a client sent, whatever the speed of the machine.
 */
export class WireWork {
  /** Bytes of bodies hashed to verify a signature. */
  bytesHashed = 0;
  /** Bytes that came out of compressed bodies. */
  bytesInflated = 0;
  /** Bytes of bodies given to a JSON parser. */
  jsonBytesParsed = 0;
  /** Values read from CBOR. */
  cborValues = 0;
  /** Nodes made of the parameters of forms. */
  formNodes = 0;
  /** Header fields and names looked at to check a signature. */
  headerSteps = 0;
}
