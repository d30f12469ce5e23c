import Databases
import Foundation
import OperatingSystem

/// A copy of a database that nobody has open, to be read without a change to the original or its folder.
struct DatabaseSnapshot {
    private let folder: TemporaryFolder
    /// Where the copy is.
    let path: String

    /// - Throws: ``BackupError``
    init(of file: String) throws(BackupError) {
        folder = try TemporaryFolder()
        path = "\(folder.path)/copy.db"
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

    func remove() { folder.remove() }
}
