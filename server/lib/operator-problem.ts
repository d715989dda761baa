// An error that the operator has to fix: one sentence, printed without a trace.

export class OperatorProblem extends Error {
  constructor(sentence: string, options?: ErrorOptions) {
    super(sentence, options);
    this.name = 'OperatorProblem';
  }
}
