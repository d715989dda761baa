// Something an operator has to change before the program can do its work: one sentence that says what, printed without a trace.

export class OperatorProblem extends Error {
  constructor(sentence: string, options?: ErrorOptions) {
    super(sentence, options);
    this.name = 'OperatorProblem';
  }
}
