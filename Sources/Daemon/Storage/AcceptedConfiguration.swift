import Foundation
package import OperatingSystem
import Settings

/// A copy of the configuration file that a daemon has accepted last, for a version that does not accept the file any more.
///
/// The first line names the version and the file, and the rest is that file's text.
package struct AcceptedConfiguration: Sendable {
    private let path: String
    private let version: String

    /// - Parameters:
    ///   - folder: The path of the state folder.
    ///   - version: The version of this program.
    package init(in folder: String, version: String = ProgramInfo.currentVersion) {
        path = URL(filePath: folder, directoryHint: .isDirectory).appending(path: "accepted.yaml")
            .path(percentEncoded: false)
        self.version = version
    }

    /// Keeps the text of a file that is in use now, unless it is kept already; readable only for the daemon's user.
    package func keep(_ text: String, of file: String) throws(FileWriteError) {
        // What cannot be in one line is no path that anybody has chosen.
        guard !file.contains(where: \.isNewline) else { return }
        let bytes = Array("\(firstWords)\(version)\(middleWords)\(file)\n\(text)".utf8)
        if case .success(let kept) = FileContents.readBytes(path, upTo: bytes.count), kept == bytes { return }
        try AtomicFile.write(bytes, to: path, permissions: 0o600)
    }

    /// What another version has accepted of a file; `nil` if there is no such copy, or this version has made it.
    package func ofAnotherVersion(_ file: String) -> (version: String, text: String)? {
        let limit = ConfigurationLoader.largestFile + 8192
        guard case .success(let text) = FileContents.read(path, upTo: limit).flatMap(\.text),
            let end = text.firstIndex(of: "\n"), text.hasPrefix(firstWords)
        else { return nil }
        let words = text[..<end].dropFirst(firstWords.count)
        guard let middle = words.firstRange(of: middleWords), words[middle.upperBound...] == file,
            words[..<middle.lowerBound] != version
        else { return nil }
        return (String(words[..<middle.lowerBound]), String(text[text.index(after: end)...]))
    }

    private let firstWords = "# Trilateral "
    private let middleWords = " accepted "
}
