import ArgumentParser
import JSON
import OperatingSystem

/// The options of a command that can be given once; the parser takes the last one without a word.
struct SingleOptions {
    private let names: Set<String>

    /// Those of a command, as the parser describes them.
    init(of command: any ParsableCommand.Type) {
        let help = try? JSONValue(parsing: command._dumpHelp())
        let options = (help?["command"]?["arguments"]?.array ?? []).filter {
            $0["kind"]?.string == "option" && $0["isRepeating"]?.bool == false
        }
        let names = options.flatMap { $0["names"]?.array ?? [] }.compactMap { name in
            name["name"]?.string.map { (name["kind"]?.string == "long" ? "--" : "-") + $0 }
        }
        self.names = Set(names)
    }

    /// Refuses what this process was given twice.
    ///
    /// - Throws: `ValidationError`.
    func check() throws(ValidationError) {
        var known: Set<Substring> = []
        // A value is never one of these words: the parser refuses what begins with a dash.
        for word in ProcessImage.ofThisProcess().arguments.prefix(while: { $0 != "--" }) {
            let name = word.prefix { $0 != "=" }
            guard names.contains(String(name)), !known.insert(name).inserted else { continue }
            throw ValidationError("give \(name) once")
        }
    }
}
