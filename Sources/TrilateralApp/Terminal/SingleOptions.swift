import ArgumentParser
import JSON

/// The options of a command that can be given once; the parser takes the last one without a word.
enum SingleOptions {
    /// Refuses what a command line has twice.
    ///
    /// - Parameters:
    ///   - words: Those behind the name of the program.
    ///   - command: The verb that they name.
    /// - Throws: ``VerbError``.
    static func check(_ words: some Sequence<String>, of command: any ParsableCommand.Type) throws(VerbError)
    {
        var (known, repeated): (Set<Substring>, [Substring]) = ([], [])
        // A value is never one of these words: the parser refuses what begins with a dash.
        for word in words.prefix(while: { $0 != "--" }) where word.utf8.first == UInt8(ascii: "-") {
            let name = word.prefix { $0 != "=" }
            if !known.insert(name).inserted { repeated.append(name) }
        }
        // Most command lines have nothing twice, and the description takes time.
        guard !repeated.isEmpty else { return }
        let names = names(of: command)
        guard let name = repeated.first(where: { names.contains(String($0)) }) else { return }
        throw VerbError("give \(name) once", .usage)
    }

    /// The options of one value, as the parser describes them.
    private static func names(of command: any ParsableCommand.Type) -> Set<String> {
        let help = try? JSONValue(parsing: command._dumpHelp())
        let options = (help?["command"]?["arguments"]?.array ?? []).filter {
            $0["kind"]?.string == "option" && $0["isRepeating"]?.bool == false
        }
        let names = options.flatMap { $0["names"]?.array ?? [] }.compactMap { name in
            name["name"]?.string.map { (name["kind"]?.string == "long" ? "--" : "-") + $0 }
        }
        return Set(names)
    }
}
