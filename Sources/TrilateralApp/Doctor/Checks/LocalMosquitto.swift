import OperatingSystem

/// The configuration of a mosquitto that runs on this machine.
package enum LocalMosquitto {
    private static let mostBytes = 1 << 20

    /// That of the mosquitto that listens on a port; `nil` for another broker, or if it cannot be read.
    static func configuration(port: Int) -> String? {
        let processes = ProcessTable.ids(named: "mosquitto")
        let listening = ListeningPort.sockets(on: port)
        let known = processes.map { ($0, ProcessTable.sockets(of: $0)) }
        let listener = known.first { $0.1?.isDisjoint(with: listening) == false }?.0
        // Whose the sockets are may be closed to this user; if there is no other one, it is that.
        let only = known.count == 1 && known.first?.1 == nil ? processes.first : nil
        guard let process = listener ?? only, let arguments = ProcessTable.arguments(of: process) else {
            return nil
        }
        return configuration(arguments: arguments, in: ProcessTable.workingFolder(of: process))
    }

    /// - Parameters:
    ///   - arguments: The words of its command line; without a file it has its defaults.
    ///   - folder: That it works in; `nil` if it is not known.
    /// - Source: mosquitto(8), `-c`; mosquitto.conf(5), `include_dir`.
    package static func configuration(arguments: [String], in folder: String?) -> String? {
        guard let option = arguments.firstIndex(where: { ["-c", "--config-file"].contains($0) }) else {
            return ""
        }
        guard let name = arguments.dropFirst(option + 1).first,
            let text = text(name, in: folder)
        else { return nil }
        var texts = [text]
        for line in text.split(separator: "\n") {
            let words = line.split(maxSplits: 1, whereSeparator: \.isWhitespace)
            guard words.count == 2, words[0] == "include_dir" else { continue }
            let place = words[1].trimmed
            guard let path = path(place, in: folder), let names = try? Folder.names(in: path) else {
                return nil
            }
            for name in names.sorted() where name.hasSuffix(".conf") {
                guard let more = self.text("\(path)/\(name)", in: nil) else { return nil }
                texts.append(more)
            }
        }
        return texts.joined(separator: "\n")
    }

    private static func text(_ name: String, in folder: String?) -> String? {
        path(name, in: folder).flatMap { try? FileContents.read($0, upTo: mostBytes).flatMap(\.text).get() }
    }

    private static func path(_ name: String, in folder: String?) -> String? {
        name.hasPrefix("/") ? name : folder.map { "\($0)/\(name)" }
    }
}

extension Substring {
    fileprivate var trimmed: String {
        String(self.reversed().drop { $0.isWhitespace }.reversed())
    }
}
