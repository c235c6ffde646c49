// Runs the step that the command line names, and prints what it gives as JSON.

exports.run = async (steps, end = () => {}) => {
  try {
    console.log(JSON.stringify(await steps[process.argv[2]]()));
    await end();
  } catch (error) {
    console.error(error);
    process.exitCode = 1;
  }
  // Connections that the clients keep open would hold the process.
  process.exit();
};

/** The code of the error that a promise ends with. */
exports.refusal = (promise) => promise.then(() => null, (error) => error.code);
