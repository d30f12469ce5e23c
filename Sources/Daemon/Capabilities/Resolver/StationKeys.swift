package import OperatingSystem
package import Resolution

/// The keys of stations that sign their updates, from a file.
package enum StationKeys {
    /// Reads a line for each station: serial and 64 hexadecimal digits; empty lines and those that begin with # count
    /// for nothing.
    package static func load(_ file: String) -> Result<[StationSerial: [UInt8]], FileError> {
        FileContents.read(file, upTo: 1024 * 1024).flatMap(\.words).flatMap(parse)
    }

    private static func parse(_ text: String) -> Result<[StationSerial: [UInt8]], FileError> {
        var keys: [StationSerial: [UInt8]] = [:]
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            let words = line.split { $0 == " " || $0 == "\t" }
            guard let first = words.first, !first.hasPrefix("#") else { continue }
            guard let last = words.last, words.count >= 2,
                let serial = StationSerial(words.dropLast().joined(separator: " ")),
                let key = [UInt8](hexadecimal: String(last)), key.count == 32
            else {
                return .failure(
                    FileError(message: "line \(index + 1) must have a serial and 64 hexadecimal digits")
                )
            }
            guard keys[serial] == nil else {
                return .failure(FileError(message: "line \(index + 1): \(serial) stands again"))
            }
            keys[serial] = key
        }
        return .success(keys)
    }
}
