import Databases
import Foundation
import OperatingSystem

/// A copy of a database that nobody has open, to be read without a change to the original or its folder.
struct DatabaseSnapshot {
    private let folder: String
    /// Where the copy is.
    let path: String

    /// - Throws: ``BackupError``
    init(of file: String) throws(BackupError) {
        let template = FileManager.default.temporaryDirectory.appending(path: "trilateral-XXXXXX")
        var name = Array(template.path(percentEncoded: false).utf8CString)
        guard mkdtemp(&name) != nil else {
            throw .system(path: template.path(percentEncoded: false), code: errno)
        }
        folder = String(decoding: name.dropLast().map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
        path = "\(folder)/copy.db"
        let file = URL(filePath: file).resolvingSymlinksInPath().path(percentEncoded: false)
        do throws(BackupError) {
            for suffix in ["", "-wal", "-journal"] where FileStatus(path: file + suffix) != nil {
                try StateReplacement.copy(file + suffix, to: path + suffix)
            }
        } catch {
            remove()
            throw error
        }
    }

    func remove() { Backup.remove(folder) }
}
