// The service restarts: requests made meanwhile are answered once it is back.
const START_MS = 1500;

setTimeout(() => location.replace(document.getElementById("then").href), START_MS);
