/// Standard error, as a command uses it to talk to a person.
enum StandardError {
    static func print(_ line: String) { write(line + "\n") }

    static func write(_ text: String) { Terminal.error.write(text) }
}
